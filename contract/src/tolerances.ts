import { areaList } from './areas'
import type { Endpoint } from './core/endpoint'
import type { Tolerance } from './core/tolerance'

/**
 * Alternative request and response forms of clients of this API family (`tolerances` of the areas). The schemas and the
 * OpenAPI document contain only the preferred form; the server applies this table before parsing. Documented in
 * docs/api/README.md.
 */
export const tolerances: ReadonlyMap<Endpoint, Tolerance> = new Map(areaList.flatMap(({ tolerances: its = [] }) => its))
