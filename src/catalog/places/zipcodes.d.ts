/** What is used of the package, which brings no types. */
declare module 'zipcodes' {
  interface Row {
    readonly zip: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly city: string;
    readonly state: string;
    readonly country: string;
  }
  const zipcodes: { readonly codes: Readonly<Record<string, Row>> };
  export default zipcodes;
}
