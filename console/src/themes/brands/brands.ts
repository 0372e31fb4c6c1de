import { acronis } from './acronis/acronis'
import { virtuozzo } from './virtuozzo/virtuozzo'

export const brands = { virtuozzo, acronis } as const

export type BrandId = keyof typeof brands

export const isBrandId = (value: unknown): value is BrandId => typeof value === 'string' && Object.hasOwn(brands, value)
