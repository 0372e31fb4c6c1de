import type { PageRoute } from './route'

/**
 * A product area's contribution to the console, registered in `console/src/areas.ts`. Routes, menu, breadcrumbs, tabs,
 * titles, shortcuts and the command palette are derived from its pages. The area's `area.ts` also adds its strings to
 * `Catalogues`.
 */
export interface ConsoleArea {
  /** Pages with their permissions, strings and optional menu places. Their code is loaded on demand. */
  pages: readonly PageRoute[]
}
