import type { Page } from '@playwright/test'

/** How to sweep a page. */
export interface SweptPage {
  /** Path of the page. `:kind` stands for the ID of the first object of that kind. */
  at: string
  /** Name of the link, button or field for the main action, which Tab must reach. Null if there is no action. */
  action: string | RegExp | null
  /** The page is in the admin panel, for operators only. */
  isForOperators?: boolean
  /** The page is for domain administrators, outside projects. */
  isForDomain?: boolean
  /** The page is opened without a session. */
  isForStrangers?: boolean
  /** The page redirects as soon as the server responds, so the response is blocked. */
  waitsForServer?: boolean
  /** The page is empty by design. */
  isBlank?: boolean
  /** Opens an overlay on the page. */
  opens?: (page: Page) => Promise<void>
}
