/* Levels of locations and failure domains. Server and console share them. */

/** Levels in which data can be kept apart, from the largest to the smallest, with their numbers (S2§9). */
export const failureDomains = { room: 4, row: 3, rack: 2, host: 1, disk: 0 } as const
export type FailureDomain = keyof typeof failureDomains

/** The levels that operators create, from the largest to the smallest. Each is in one of the level before it. */
export const locationDomains = ['room', 'row', 'rack'] as const
export type LocationDomain = (typeof locationDomains)[number]

/** Names of the levels in paths. */
export const levelPaths = { room: 'rooms', row: 'rows', rack: 'racks' } as const satisfies Record<
  LocationDomain,
  string
>

/** The level that a path names: by its plural, or by its number for older clients. Null if there is no such level. */
export const domainOfPath = (level: string): LocationDomain | null =>
  locationDomains.find((domain) => levelPaths[domain] === level || String(failureDomains[domain]) === level) ?? null

/** The level in which a level is; null for rooms. */
export const domainAbove = (domain: LocationDomain): LocationDomain | null =>
  locationDomains[locationDomains.indexOf(domain) - 1] ?? null

/** The part of a location that its place in the tree depends on. */
interface Placed {
  domain: LocationDomain
  room_id: string | null
  row_id: string | null
}

/** ID of the location that a location is in; null for rooms. */
export const parentOf = ({ domain, room_id, row_id }: Placed): string | null => {
  if (domain === 'room') return null
  return domain === 'row' ? room_id : row_id
}
