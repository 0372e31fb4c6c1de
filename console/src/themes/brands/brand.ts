import type { ColorScheme } from '@mainstay/contract/identity/color-schemes'

/** The settings of a brand; a domain’s theme can override each of them. No artwork is included. */
export interface Brand {
  readonly id: string
  readonly productTitle: string
  readonly productName: string
  readonly scheme: ColorScheme
}
