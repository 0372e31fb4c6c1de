import { servePlain } from '../../http/serve-resource'
import { module } from '../../module'

export const networkingModule = module({
  routes: [servePlain('networking', ({ ports }) => ports.networking)],
})
