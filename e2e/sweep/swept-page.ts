import type { Page } from '@playwright/test'

/** How to sweep a page. */
export interface SweptPage {
  /** Path of the page. `:kind` stands for the id of the first object of that kind. */
  at: string
  /** Name of the link, button or field for the main action, which Tab must reach. Null: no action. */
  action: string | RegExp | null
  /** Page of the admin panel, only for operators. */
  isForOperators?: boolean
  /** Page for domain administrators, outside of projects. */
  isForDomain?: boolean
  /** Opened without a session. */
  isForStrangers?: boolean
  /** The page redirects when the server responds, so the response is blocked. */
  waitsForServer?: boolean
  /** Empty by design. */
  isBlank?: boolean
  /** Opens an overlay on the page. */
  opens?: (page: Page) => Promise<void>
}
