/** As many names of migrations as there were before the first release, with the last of them. */
export const OLD_MIGRATIONS: readonly string[] = [
  ...Array.from({ length: 136 }, (_, at) => `20261121_${String(at).padStart(3, '0')}_one`),
  '20261127_551_told_in_translation',
];
