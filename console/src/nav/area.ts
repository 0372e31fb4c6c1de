import type { PageRoute } from './route'

/**
 * The part of the console that one product area provides, registered by its line in `console/src/areas.ts`. Routes,
 * menu, breadcrumbs, tabs, titles, shortcuts and the command palette are derived from its pages. The `area.ts` of the
 * area also adds its texts to `Catalogues`.
 */
export interface ConsoleArea {
  /** Pages with their permissions, texts and optional places in the menu tree. Their code is loaded on demand. */
  pages: readonly PageRoute[]
}
