import type { Area, OpenArea } from '../ports/area-ports'
import type { QuotaLimitsPort } from '../ports/quotas'
import type { Entity } from '../ports/records'
import type { Engine } from './engine'
import type { Learning } from './keep-learning'
import type { KindReader } from './kind-reader'

/** Dependencies of a cloud area. */
export interface CloudTools {
  engine: Engine
  /** Shared by the ports of all areas. */
  quotaLimits: QuotaLimitsPort
}

/** An opened cloud area. `watch` polls the cloud for its capabilities in this area. */
type OpenCloudArea<Name extends Area> = OpenArea<Name> & { watch?: Learning }

/** An area that a cloud can serve. `open` must not call the cloud, which may be down; only `watch` may. */
export interface CloudArea<Name extends Area = Area> {
  area: Name
  /** Areas required in addition to those that the contract requires. */
  needs?: readonly Area[]
  /** Readers for the kinds in this area. */
  readers: readonly KindReader<Entity>[]
  open(tools: CloudTools): OpenCloudArea<Name>
}
