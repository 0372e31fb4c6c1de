import { areaList, type areas, type Merged } from './areas'
import { crudNames } from './core/crud'
import type { Endpoint } from './core/endpoint'
import type { Kind } from './core/kind'
import { isServedAt, type Panel } from './panels'

type Areas = (typeof areas)[number]
/** Adds the area to resources whose rows belong to an engine. */
type Listed<Of extends Areas, Resource> = Of extends { engine: object }
  ? Resource extends { kind: Kind }
    ? Resource & { readonly area: Of['name'] }
    : Resource
  : Resource
type ResourcesOf<Of> = Of extends Areas ? { [Name in keyof Of['resources']]: Listed<Of, Of['resources'][Name]> } : never

export type Resources = Merged<ResourcesOf<Areas>>
export type ResourceName = keyof Resources

/** The resources with a kind of this name. */
export type ResourceOfKind<Name extends string> = Extract<Resources[ResourceName], { kind: { name: Name } }>
/** Names of kinds, as used in the index. */
export type KindName = Extract<Resources[ResourceName], { kind: unknown }>['kind']['name']

/** A resource without its literal types. */
export interface Resource {
  area?: string
  kind?: Kind
  calls: Readonly<Record<string, Endpoint>>
}
export const resourceList: readonly (readonly [name: string, resource: Resource])[] = areaList.flatMap(
  ({ name: area, engine, resources: its }) =>
    Object.entries(its).map(
      ([name, resource]) => [name, engine && resource.kind ? { area, ...resource } : resource] as const,
    ),
)

/**
 * All resources of the product: their calls, their kind if the rows are indexed, and the area whose engine owns the
 * rows. The index, the OpenAPI document, the fuzzer, the isolation test and the engine conformance tests are derived
 * from this list, which is derived from the areas. A resource with only standard calls is plain: its area's port has
 * its commands under the same name.
 */
export const resources = Object.fromEntries(resourceList) as unknown as Resources

/** Whether a resource has only standard calls. */
export const isPlain = ({ calls }: Resource): boolean => Object.keys(calls).every((name) => crudNames.has(name))

/** All calls of the API, by resource. */
export const allEndpoints = Object.fromEntries(resourceList.map(([name, { calls }]) => [name, calls])) as {
  [Name in ResourceName]: Resources[Name]['calls']
}

/** Calls that are served on a port, by resource. Resources without such calls are omitted. */
export const endpointsAt = (panel: Panel): Record<string, Record<string, Endpoint>> =>
  Object.fromEntries(
    resourceList.flatMap(([name, { calls }]) => {
      const served = Object.entries(calls).filter(([, endpoint]) => isServedAt(panel, endpoint))
      return served.length === 0 ? [] : [[name, Object.fromEntries(served)]]
    }),
  )

/** All kinds, by their name in the index. */
export const allKinds: Record<string, Kind> = Object.fromEntries(
  resourceList.flatMap(([, { kind }]) => (kind ? [[kind.name, kind]] : [])),
)
