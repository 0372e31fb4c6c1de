import { areaList, type AreasOfEngines, type Merged } from '@mainstay/contract/areas'
import type { Area as AreaOfContract, AreaOfEngines } from '@mainstay/contract/core/area'
import { resourceList } from '@mainstay/contract/resources'
import type * as z from 'zod'
import type { UsualPort } from './plain'

/** The name of an area that engines can serve. */
export type Area = AreasOfEngines['name']

/**
 * Ports that have more than the standard commands, by area. The file of each port adds its own port: `declare module
 * './area-ports' { interface OwnPorts { vpn: VpnPort } }`.
 */
export interface OwnPorts {}

/** The port of each area. An area without its own port has the standard commands of its plain resources. */
export type AreaPorts = { [Name in Area]: Name extends keyof OwnPorts ? OwnPorts[Name] : UsualPort<Name> }

const served = areaList.filter(
  (it): it is AreaOfContract & { name: Area; engine: AreaOfEngines } => it.engine !== undefined,
)
const areaByName = new Map(served.map((it) => [it.name, it]))
const namesOf = (areas: typeof served): readonly Area[] => areas.map(({ name }) => name)

/**
 * The cloud areas, all of which a single engine can serve. Identity is last, because an engine is labeled by its first
 * area.
 */
export const cloudAreas: readonly Area[] = namesOf(
  served
    .filter(({ engine }) => engine.inEveryCloud)
    .toSorted((one, other) => Number(one.name === 'identity') - Number(other.name === 'identity')),
)
export const allAreas: readonly Area[] = [
  ...cloudAreas,
  ...namesOf(served.filter(({ engine }) => !engine.inEveryCloud)),
]

/** Returns the display name of an area. */
export const areaTitle = (area: Area): string => areaByName.get(area)!.title

/** Tells operators what to do if no engine serves an area. */
export const areaAdvice = (area: Area): string =>
  areaByName.get(area)!.engine.advice ?? `No engine serves ${areaTitle(area)} here. Set MAINSTAY_AREAS`

type Needed<Of> = Of extends { engine: { needs: readonly (infer Name)[] } } ? Name : never
const areaNeeds = new Map(served.map(({ name, engine }) => [name, engine.needs ?? []])) as ReadonlyMap<
  Area,
  readonly Needed<AreasOfEngines>[]
>
/**
 * Returns the areas that an engine must serve together with this one. `more` adds the engine's own requirements to
 * those of the contract.
 */
export const needsOf = (area: Area, more: readonly Area[] = []): readonly Area[] => [
  ...new Set([...more, ...areaNeeds.get(area)!]),
]

/** The area of each kind that engines own, by kind name. */
export const areaOfKind: ReadonlyMap<string, Area> = new Map(
  resourceList.flatMap(([, { area, kind }]) => (kind && area !== undefined ? [[kind.name, area as Area]] : [])),
)

type CapabilitiesOf<Of> = Of extends {
  name: infer Name extends Area
  engine: { capabilities: { schema: infer Schema extends z.ZodType } }
}
  ? { [Key in Name]: z.output<Schema> }
  : never
/** Capabilities by area, for areas in which engines differ. */
export type AreaCapabilities = Merged<CapabilitiesOf<AreasOfEngines>>

/** Capabilities for areas that no engine serves. */
export const noCapabilities = Object.fromEntries(
  served.flatMap(({ name, engine }) => (engine.capabilities ? [[name, engine.capabilities.none]] : [])),
) as unknown as AreaCapabilities

/** An area that an engine has opened. */
export type OpenArea<Name extends Area> = { port: AreaPorts[Name] } & (Name extends keyof AreaCapabilities
  ? { capabilities: AreaCapabilities[Name] }
  : unknown)

/** Collects the ports and capabilities of an engine's opened areas. */
export function portsOf<Name extends Area>(
  opened: readonly { area: Name; port: object; capabilities?: object }[],
): { ports: Pick<AreaPorts, Name>; capabilities: Pick<AreaCapabilities, Name & keyof AreaCapabilities> } {
  const byName = (part: 'port' | 'capabilities') =>
    Object.fromEntries(opened.flatMap(({ area, [part]: it }) => (it === undefined ? [] : [[area, it]])))
  return { ports: byName('port') as never, capabilities: byName('capabilities') as never }
}
