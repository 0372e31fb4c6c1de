import type { Brand } from '../brand'

export const virtuozzo = {
  id: 'virtuozzo',
  productTitle: 'Mainstay',
  productName: 'Mainstay',
  scheme: 'crimson',
  links: { docs: null, support: null, product: null, terms: null },
} as const satisfies Brand
