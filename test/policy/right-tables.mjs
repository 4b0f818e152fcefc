/** Gives the test of the cells the tables as they are in their files, whatever is planted for the service. */
export async function resolve(specifier, context, nextResolve) {
  const found = await nextResolve(specifier, context);
  const isTest = context.parentURL?.includes('/test/policy/') === true;
  if (!isTest || !/\/shared\/policy\/[a-z-]+-policy\.ts$/.test(found.url)) return found;
  return { ...found, url: `${found.url}?right` };
}
