import { allAreas, areaTitle, cloudAreas, needsOf, type Area } from './ports/area-ports'
import type { EngineOffer, PlannedEngine } from './ports/engine'
import { EngineChoiceError } from './ports/engines'

/** Configured in place of an engine to leave an area unserved. */
const NOBODY = 'none'

export interface AreaPlan {
  /** The source that serves each area; null if it is not served. */
  areas: Readonly<Record<Area, string | null>>
  /** The engines that serve at least one area. */
  engines: readonly PlannedEngine[]
}

/** Whether the area is optional in an installation. */
const isBeside = (area: Area): boolean => !cloudAreas.some((it) => it === area)

const isNamed = ({ source }: EngineOffer, name: string): boolean => source === name || source.startsWith(`${name}:`)
const listed = (words: readonly string[]): string => words.join(', ')

/**
 * Assigns an engine to each area: the configured engine, otherwise the only one that can serve it. If the choice is
 * ambiguous, throws an `EngineChoiceError` with the configuration lines to add.
 */
export function planAreas(offers: readonly EngineOffer[], chosen: Readonly<Partial<Record<Area, string>>>): AreaPlan {
  const faults: string[] = []
  const doubtful: Area[] = []

  function offerFor(area: Area, isFit: (offer: EngineOffer) => boolean = () => true): EngineOffer | null {
    const name = chosen[area]
    if (name === NOBODY) return null
    const able = offers.filter((offer) => offer.areas.includes(area) && isFit(offer))
    if (name !== undefined) {
      const [found, ...more] = able.filter((offer) => isNamed(offer, name))
      if (found && more.length === 0) return found
      const those = listed(able.map(({ source }) => source)) || 'no engine'
      faults.push(`MAINSTAY_AREAS contains ${area}=${name}, but ${area} can be served by ${those}`)
      return null
    }
    if (able.length > 1) doubtful.push(area)
    return able[0] ?? null
  }

  for (const name of Object.keys(chosen))
    if (!allAreas.some((area) => area === name))
      faults.push(`MAINSTAY_AREAS contains the unknown area ${name}; the areas are ${listed(allAreas)}`)
  const found = new Map<Area, EngineOffer | null>()
  const followsOthers = (area: Area): boolean => isBeside(area) && chosen[area] === undefined
  for (const area of allAreas) if (!followsOthers(area)) found.set(area, offerFor(area))
  // optional areas go to the engine that serves the areas they depend on
  for (const area of allAreas.filter(followsOthers))
    found.set(
      area,
      offerFor(area, (offer) => needsOf(area, offer.needs[area]).every((other) => found.get(other) === offer)),
    )
  if (doubtful.length > 0) {
    const sources = offers.map(({ source }) => source)
    faults.push(
      `Several engines can serve ${listed(doubtful)}. Choose ${sources.join(' or ')} for each; for example:`,
      `MAINSTAY_AREAS=${doubtful.map((area) => `${area}=${found.get(area)!.source}`).join(',')}`,
    )
  } else if (faults.length === 0) {
    for (const [area, offer] of found)
      for (const other of offer ? needsOf(area, offer.needs[area]) : []) {
        const by = found.get(other)
        if (by === offer) continue
        const instead = by ? by.source : 'no engine'
        faults.push(
          `${offer!.source} serves ${area} only together with ${other}, which MAINSTAY_AREAS assigns to ${instead}`,
        )
      }
    if (found.get('identity') === null)
      faults.push(`No engine serves identity (${areaTitle('identity')}), so no user could sign in; see MAINSTAY_AREAS`)
  }
  if (faults.length > 0) throw new EngineChoiceError(faults)

  const engines = offers.flatMap((offer): PlannedEngine[] => {
    const areas = new Set(allAreas.filter((area) => found.get(area) === offer))
    return areas.size > 0 ? [{ offer, areas, kinds: offer.kinds.filter(({ area }) => areas.has(area)) }] : []
  })
  const areas = Object.fromEntries(allAreas.map((area) => [area, found.get(area)?.source ?? null]))
  return { areas: areas as AreaPlan['areas'], engines }
}
