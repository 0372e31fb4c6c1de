import type { Brand } from '../brand'

export const virtuozzo = {
  id: 'virtuozzo',
  productTitle: 'Mainstay',
  productName: 'Mainstay',
  scheme: 'crimson',
} as const satisfies Brand
