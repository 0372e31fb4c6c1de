import type { Area, OpenArea } from '../ports/area-ports'
import type { QuotaLimitsPort } from '../ports/quotas'
import type { Entity } from '../ports/records'
import type { Engine } from './engine'
import type { Learning } from './keep-learning'
import type { KindReader } from './kind-reader'

/** What an area of a cloud is opened with. */
export interface CloudTools {
  engine: Engine
  /** The one that ports of all areas have. */
  quotaLimits: QuotaLimitsPort
}

/** An area of a cloud that is open. `watch` keeps asking the cloud what it can do there. */
type OpenCloudArea<Name extends Area> = OpenArea<Name> & { watch?: Learning }

/** An area that a cloud can serve. Nothing of the cloud is asked before it watches: it may be away. */
export interface CloudArea<Name extends Area = Area> {
  area: Name
  /** What it is served only together with, beyond what the contract says of the area. */
  needs?: readonly Area[]
  /** How its kinds are read. */
  readers: readonly KindReader<Entity>[]
  open(tools: CloudTools): OpenCloudArea<Name>
}
