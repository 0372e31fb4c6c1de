import { area } from '../core/area'
import { s3Cluster, s3Deployment, s3Replication } from './s3-cluster'
import { s3Archives, s3Links, s3Metadata, s3Runs } from './s3-files'
import { s3History } from './s3-history'
import { s3Keys } from './s3-keys'
import { s3Service } from './s3-service'
import { s3Users } from './s3-users'

export const objectStorageArea = area({
  name: 'object-storage',
  title: 'object storage',
  engine: {
    advice: 'Object storage is not configured. Set MAINSTAY_S3_PORT, or MAINSTAY_RGW_ENDPOINT to use Ceph.',
  },
  resources: {
    s3Service: { calls: s3Service },
    s3Cluster: { calls: s3Cluster },
    s3Deployment: { calls: s3Deployment },
    s3Replication: { calls: s3Replication },
    s3Keys: { calls: s3Keys },
    s3Archives: { calls: s3Archives },
    s3Links: { calls: s3Links },
    s3Runs: { calls: s3Runs },
    s3Metadata: { calls: s3Metadata },
    s3Users: { calls: s3Users },
    s3History: { calls: s3History },
  },
})
