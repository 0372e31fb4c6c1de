/** The name by which a guest calls itself: what is left of a name that has to be a host's. */
export function hostNameOf(name: string): string {
  const label = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return label || 'instance'
}
