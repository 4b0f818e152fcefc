/** The part of autocannon that the benchmarks use; the package has no types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    /** Seconds. */
    readonly duration?: number;
    /** Ends after so many requests instead. */
    readonly amount?: number;
    readonly connections: number;
    readonly method?: 'GET' | 'POST';
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Requested in rotation by each connection, at `url`. */
    readonly requests?: readonly { readonly path: string }[];
  }
  interface Result {
    readonly requests: { readonly average: number };
    readonly latency: { readonly p99: number; readonly p50: number };
    readonly '2xx': number;
    /** Seconds. */
    readonly duration: number;
    readonly errors: number;
    readonly non2xx: number;
  }
  const autocannon: (options: Options) => Promise<Result>;
  export = autocannon;
}
