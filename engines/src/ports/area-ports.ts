import { areaList, type AreasOfEngines, type Merged } from '@mainstay/contract/areas'
import type { Area as AreaOfContract, AreaOfEngines } from '@mainstay/contract/core/area'
import { resourceList } from '@mainstay/contract/resources'
import type * as z from 'zod'
import type { UsualPort } from './plain'

/** An area that engines serve, by its name. */
export type Area = AreasOfEngines['name']

/**
 * Ports with more than the usual commands, by area. The file of each port adds its own to this interface:
 * `declare module './area-ports' { interface OwnPorts { vpn: VpnPort } }`.
 */
export interface OwnPorts {}

/** What engines do, by area. An area without a port of its own has the usual commands of its plain resources. */
export type AreaPorts = { [Name in Area]: Name extends keyof OwnPorts ? OwnPorts[Name] : UsualPort<Name> }

const served = areaList.filter(
  (it): it is AreaOfContract & { name: Area; engine: AreaOfEngines } => it.engine !== undefined,
)
const areaByName = new Map(served.map((it) => [it.name, it]))
const namesOf = (areas: typeof served): readonly Area[] => areas.map(({ name }) => name)

/**
 * The areas of a cloud, which an engine may serve all alone. Identity is the last of them: an engine is known to operators
 * by what else it serves.
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

/** What an area is about, for people. */
export const areaTitle = (area: Area): string => areaByName.get(area)!.title

/** What to do about an area that no engine serves. */
export const areaAdvice = (area: Area): string =>
  areaByName.get(area)!.engine.advice ?? `No engine serves ${areaTitle(area)} here. MAINSTAY_AREAS says which one does`

type Needed<Of> = Of extends { engine: { needs: readonly (infer Name)[] } } ? Name : never
const areaNeeds = new Map(served.map(({ name, engine }) => [name, engine.needs ?? []])) as ReadonlyMap<
  Area,
  readonly Needed<AreasOfEngines>[]
>
/** The areas that an engine has to serve together with this one. `more`: those that it needs beyond what the contract says. */
export const needsOf = (area: Area, more: readonly Area[] = []): readonly Area[] => [
  ...new Set([...more, ...areaNeeds.get(area)!]),
]

/** The kinds that engines have rows of, by their names, each with its area. */
export const areaOfKind: ReadonlyMap<string, Area> = new Map(
  resourceList.flatMap(([, { area, kind }]) => (kind && area !== undefined ? [[kind.name, area as Area]] : [])),
)

type CapabilitiesOf<Of> = Of extends {
  name: infer Name extends Area
  engine: { capabilities: { schema: infer Schema extends z.ZodType } }
}
  ? { [Key in Name]: z.output<Schema> }
  : never
/** What an engine can do in an area, where engines differ. */
export type AreaCapabilities = Merged<CapabilitiesOf<AreasOfEngines>>

/** Where no engine serves the area. */
export const noCapabilities = Object.fromEntries(
  served.flatMap(({ name, engine }) => (engine.capabilities ? [[name, engine.capabilities.none]] : [])),
) as unknown as AreaCapabilities

/** An area of an engine that is open. */
export type OpenArea<Name extends Area> = { port: AreaPorts[Name] } & (Name extends keyof AreaCapabilities
  ? { capabilities: AreaCapabilities[Name] }
  : unknown)

/** Ports and capabilities of an engine by area, of its open areas. */
export function portsOf<Name extends Area>(
  opened: readonly { area: Name; port: object; capabilities?: object }[],
): { ports: Pick<AreaPorts, Name>; capabilities: Pick<AreaCapabilities, Name & keyof AreaCapabilities> } {
  const byName = (part: 'port' | 'capabilities') =>
    Object.fromEntries(opened.flatMap(({ area, [part]: it }) => (it === undefined ? [] : [[area, it]])))
  return { ports: byName('port') as never, capabilities: byName('capabilities') as never }
}
