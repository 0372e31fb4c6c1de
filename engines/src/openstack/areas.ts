import { areaOfKind, type Area } from '../ports/area-ports'
import type { KindSource } from '../ports/engine'
import type { CloudArea } from './area'
import { computeOfCloud } from './compute/area'
import { partOf } from './feed/health'
import { identityReaders } from './identity/directory/readers'
import { loadBalancingOfCloud } from './load-balancing/area'
import { networkingOfCloud } from './networking/area'
import { storageOfCloud } from './storage/area'
import { vpnOfCloud } from './vpn/area'

/** Areas that a cloud serves, except identity. To register another area in this engine, add it here. */
export const cloudServices = [
  computeOfCloud,
  storageOfCloud,
  networkingOfCloud,
  loadBalancingOfCloud,
  vpnOfCloud,
] as const satisfies readonly { [Name in Area]: CloudArea<Name> }[Area][]

const cloudReaders = [...identityReaders, ...cloudServices.flatMap(({ readers }) => readers)]

const areaOf = ({ kind }: { kind: string }): Area => {
  const area = areaOfKind.get(kind)
  if (!area) throw new Error(`The contract has no resource of the kind ${kind}`)
  return area
}
export const readersIn = (areas: ReadonlySet<Area>) => cloudReaders.filter((reader) => areas.has(areaOf(reader)))

/** Kinds that the index reads from a cloud, each with the part of the cloud that serves it. */
export const cloudKinds: readonly KindSource[] = cloudReaders.map((reader) => ({
  kind: reader.kind,
  area: areaOf(reader),
  view: 'feed',
  part: partOf(reader),
}))
