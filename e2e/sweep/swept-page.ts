import type { Page } from '@playwright/test'

/** How a page is swept. */
export interface SweptPage {
  /** The address, with `:kind` for the id of the demo world's first row of that kind. */
  at: string
  /** What people come to do, as its link, button or field is called: Tab must lead to it. Null: there is none. */
  action: string | RegExp | null
  /** Of the administration panel: what operators alone may do. */
  isForOperators?: boolean
  /** Of who administers a domain, outside of any project. */
  isForDomain?: boolean
  /** Nobody is signed in. */
  isForStrangers?: boolean
  /** It leaves as soon as the server answers, so that must not. */
  waitsForServer?: boolean
  /** Nothing is on it, by design. */
  isBlank?: boolean
  /** Opens what the frame shows over it. */
  opens?: (page: Page) => Promise<void>
}
