/** A promise that other code settles. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (fault: unknown) => void;
}

/** A promise that nobody has settled yet. */
export function deferred<T>(): Deferred<T> {
  const settle: { resolve: Deferred<T>['resolve']; reject: Deferred<T>['reject'] } = {
    resolve: () => undefined,
    reject: () => undefined,
  };
  const promise = new Promise<T>((resolve, reject) => {
    settle.resolve = resolve;
    settle.reject = reject;
  });
  return { promise, ...settle };
}
