/** The part of autocannon that the benchmarks use; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    /** Seconds. */
    readonly duration: number;
    readonly connections: number;
  }
  interface Result {
    readonly requests: { readonly average: number };
    readonly latency: { readonly p99: number; readonly p50: number };
    readonly errors: number;
    readonly non2xx: number;
  }
  const autocannon: (options: Options) => Promise<Result>;
  export = autocannon;
}
