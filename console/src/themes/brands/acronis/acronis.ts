import type { Brand } from '../brand'

export const acronis = {
  id: 'acronis',
  productTitle: 'Mainstay',
  productName: 'Mainstay',
  scheme: 'azure',
} as const satisfies Brand
