import { areaList, type areas, type Merged } from './areas'
import { crudNames } from './core/crud'
import type { Endpoint } from './core/endpoint'
import type { Kind } from './core/kind'
import { isServedAt, type Panel } from './panels'

type Areas = (typeof areas)[number]
/** Rows of a kind are the engine's where engines serve its area. */
type Listed<Of extends Areas, Resource> = Of extends { engine: object }
  ? Resource extends { kind: Kind }
    ? Resource & { readonly area: Of['name'] }
    : Resource
  : Resource
type ResourcesOf<Of> = Of extends Areas ? { [Name in keyof Of['resources']]: Listed<Of, Of['resources'][Name]> } : never

export type Resources = Merged<ResourcesOf<Areas>>
export type ResourceName = keyof Resources

/** Resources that have a kind of this name. */
export type ResourceOfKind<Name extends string> = Extract<Resources[ResourceName], { kind: { name: Name } }>
/** Names of kinds, as the index has them. */
export type KindName = Extract<Resources[ResourceName], { kind: unknown }>['kind']['name']

/** A resource when nothing of its types is known. */
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
 * Every resource of the product: its calls, its kind where rows of it are in the index, and the area whose engine has
 * them. The index, the OpenAPI document, the fuzzer, the isolation test and the engines' conformance are derived from this
 * list, as it is from the areas. One that has the usual calls only is plain: its commands stand in the port of its area
 * under its name here.
 */
export const resources = Object.fromEntries(resourceList) as unknown as Resources

/** Whether it has the usual calls only. */
export const isPlain = ({ calls }: Resource): boolean => Object.keys(calls).every((name) => crudNames.has(name))

/** Every call of the API, by resource. */
export const allEndpoints = Object.fromEntries(resourceList.map(([name, { calls }]) => [name, calls])) as {
  [Name in ResourceName]: Resources[Name]['calls']
}

/** The calls of a port, by resource; a resource without any is left out. */
export const endpointsAt = (panel: Panel): Record<string, Record<string, Endpoint>> =>
  Object.fromEntries(
    resourceList.flatMap(([name, { calls }]) => {
      const served = Object.entries(calls).filter(([, endpoint]) => isServedAt(panel, endpoint))
      return served.length === 0 ? [] : [[name, Object.fromEntries(served)]]
    }),
  )

/** Every resource kind by its name in the index. */
export const allKinds: Record<string, Kind> = Object.fromEntries(
  resourceList.flatMap(([, { kind }]) => (kind ? [[kind.name, kind]] : [])),
)
