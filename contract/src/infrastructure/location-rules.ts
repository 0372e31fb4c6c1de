/* Levels of locations and failure domains, shared by the server and the console. */

/**
 * Levels across which copies of data can be distributed, from the largest to the smallest, with their numbers (S2§9).
 */
export const failureDomains = { room: 4, row: 3, rack: 2, host: 1, disk: 0 } as const
export type FailureDomain = keyof typeof failureDomains

/**
 * The levels that operators create, from the largest to the smallest. Each location is contained in one of the next
 * larger level.
 */
export const locationDomains = ['room', 'row', 'rack'] as const
export type LocationDomain = (typeof locationDomains)[number]

/** Names of the levels in paths. */
export const levelPaths = { room: 'rooms', row: 'rows', rack: 'racks' } as const satisfies Record<
  LocationDomain,
  string
>

/**
 * Returns the level that a path names: by its plural, or by its number for older clients. Null if there is no such
 * level.
 */
export const domainOfPath = (level: string): LocationDomain | null =>
  locationDomains.find((domain) => levelPaths[domain] === level || String(failureDomains[domain]) === level) ?? null

/** Returns the next larger level; null for rooms. */
export const domainAbove = (domain: LocationDomain): LocationDomain | null =>
  locationDomains[locationDomains.indexOf(domain) - 1] ?? null

/** The fields of a location that determine its place in the tree. */
interface Placed {
  domain: LocationDomain
  room_id: string | null
  row_id: string | null
}

/** Returns the ID of the parent location; null for rooms. */
export const parentOf = ({ domain, room_id, row_id }: Placed): string | null => {
  if (domain === 'room') return null
  return domain === 'row' ? room_id : row_id
}
