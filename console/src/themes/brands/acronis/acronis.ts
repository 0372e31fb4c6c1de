import type { Brand } from '../brand'

export const acronis = {
  id: 'acronis',
  productTitle: 'Mainstay',
  productName: 'Mainstay',
  scheme: 'azure',
  links: { docs: null, support: null, product: null, terms: null },
} as const satisfies Brand
