import type { ColorScheme } from '@mainstay/contract/identity/color-schemes'

/** The settings of a brand, each of which a domain’s theme can override. No artwork is included. */
export interface Brand {
  readonly id: string
  readonly productTitle: string
  readonly productName: string
  readonly scheme: ColorScheme
}
