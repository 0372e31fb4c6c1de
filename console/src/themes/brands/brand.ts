import type { SchemeId } from '../schemes/scheme-ids'

/** A named set of what a brand fixes. A domain's own theme overrides any of it. No artwork is shipped. */
export interface Brand {
  readonly id: string
  readonly productTitle: string
  readonly productName: string
  readonly scheme: SchemeId
  /** Where "About" and help lead; `null` hides the link. */
  readonly links: Readonly<Record<'docs' | 'support' | 'product' | 'terms', string | null>>
}
