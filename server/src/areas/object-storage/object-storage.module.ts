import { module } from '../../module'
import { removeS3Keys } from './access.service'
import { disableDomain, enableDomain } from './domain-status'
import { s3Activities } from './s3-acts'
import { s3ArchiveRoutes, s3LinkRoutes, s3MetadataRoutes } from './s3-files.routes'
import { s3ClusterRoutes, s3DeploymentRoutes, s3ReplicationRoutes } from './s3-cluster.routes'
import { s3HistoryRoutes } from './s3-history.routes'
import { s3KeyRoutes } from './s3-keys.routes'
import { s3RunJobs, s3RunRoutes, s3RunSchedules } from './s3-runs.routes'
import { s3ServiceRoutes } from './s3-service.routes'
import { s3UserRoutes } from './s3-users.routes'

export const objectStorageModule = module({
  routes: [
    ...[s3ServiceRoutes, s3KeyRoutes, s3ArchiveRoutes, s3LinkRoutes, s3RunRoutes, s3MetadataRoutes, s3UserRoutes],
    ...[s3ClusterRoutes, s3DeploymentRoutes, s3ReplicationRoutes, s3HistoryRoutes],
  ],
  jobs: [enableDomain, disableDomain, ...s3RunJobs],
  schedules: s3RunSchedules,
  activities: s3Activities,
  removeKeys: (user, tools) => removeS3Keys(tools, user),
})
