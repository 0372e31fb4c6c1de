import type { PageRoute } from './route'

/**
 * What one area of the product brings into the console: its line in `console/src/areas.ts` is all that registers it. Routes,
 * menu, breadcrumbs, tabs, titles, shortcuts and the command palette are derived from its pages. The `area.ts` of the area
 * also adds its texts to `Catalogues`.
 */
export interface ConsoleArea {
  /** Each with its right, its texts and, where it has one, its place in the tree of the menu. Their code is imported lazily. */
  pages: readonly PageRoute[]
}
