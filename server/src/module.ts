import type { Served } from './http/serve'

/** What an area of the product brings to the server. */
export interface Module {
  /** Its calls, by resource. */
  routes: readonly (readonly Served[])[]
}

/** Declares what an area brings. */
export const module = (parts: Module): Module => parts
