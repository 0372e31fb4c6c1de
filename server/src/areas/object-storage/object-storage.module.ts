import { module } from '../../module'
import { disableDomain, enableDomain } from './domain-status'
import { s3KeyRoutes } from './s3-keys.routes'
import { s3ServiceRoutes } from './s3-service.routes'
import { s3UserRoutes } from './s3-users.routes'

export const objectStorageModule = module({
  routes: [s3ServiceRoutes, s3KeyRoutes, s3UserRoutes],
  jobs: [enableDomain, disableDomain],
})
