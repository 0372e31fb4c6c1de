import type { Area, OpenArea } from '../ports/area-ports'
import type { QuotaLimitsPort } from '../ports/quotas'
import type { Entity } from '../ports/records'
import type { Engine } from './engine'
import type { Learning } from './keep-learning'
import type { KindReader } from './kind-reader'

/** Dependencies of an area of a cloud. */
export interface CloudTools {
  engine: Engine
  /** Shared by the ports of all areas. */
  quotaLimits: QuotaLimitsPort
}

/** An open area of a cloud. `watch` polls the cloud for its capabilities in the area. */
type OpenCloudArea<Name extends Area> = OpenArea<Name> & { watch?: Learning }

/** An area that a cloud can serve. `open` must not call the cloud, which may be down; only `watch` does. */
export interface CloudArea<Name extends Area = Area> {
  area: Name
  /** Other areas it requires, in addition to those that the contract requires. */
  needs?: readonly Area[]
  /** Readers of its kinds. */
  readers: readonly KindReader<Entity>[]
  open(tools: CloudTools): OpenCloudArea<Name>
}
