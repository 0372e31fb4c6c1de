import { areaList } from './areas'
import type { Endpoint } from './core/endpoint'
import type { Tolerance } from './core/tolerance'

/**
 * What programs written for this family of APIs send and expect of each call, where it differs from the preferred form
 * (`tolerances` of the areas). The schemas of the calls and the OpenAPI document know the preferred form only; the server
 * applies this table before it parses. docs/api/README.md says the same to people.
 */
export const tolerances: ReadonlyMap<Endpoint, Tolerance> = new Map(areaList.flatMap(({ tolerances: its = [] }) => its))
