import type { ColorScheme } from '@mainstay/contract/identity/color-schemes'

/** A named set of what a brand fixes. A domain's own theme overrides any of it. No artwork is shipped. */
export interface Brand {
  readonly id: string
  readonly productTitle: string
  readonly productName: string
  readonly scheme: ColorScheme
}
