import { isLike } from '@mainstay/contract/object-storage/wildcards'

/* Actions that a policy may name, including unsupported ones, because policies are often copied from elsewhere. */

const byVerb = {
  Get: [
    ...['AccelerateConfiguration', 'AnalyticsConfiguration', 'BucketABAC', 'BucketAcl', 'BucketCORS', 'BucketLocation'],
    ...['BucketLogging', 'BucketMetadataTableConfiguration', 'BucketNotification', 'BucketObjectLockConfiguration'],
    ...['BucketOwnershipControls', 'BucketPolicy', 'BucketPolicyStatus', 'BucketPublicAccessBlock'],
    ...['BucketRequestPayment', 'BucketTagging', 'BucketVersioning', 'BucketWebsite', 'EncryptionConfiguration'],
    ...['IntelligentTieringConfiguration', 'InventoryConfiguration', 'LifecycleConfiguration', 'MetricsConfiguration'],
    ...['Object', 'ObjectAcl', 'ObjectAttributes', 'ObjectLegalHold', 'ObjectRetention', 'ObjectTagging'],
    ...['ObjectTorrent', 'ObjectVersion', 'ObjectVersionAcl', 'ObjectVersionAttributes'],
    ...['ObjectVersionForReplication', 'ObjectVersionTagging', 'ObjectVersionTorrent', 'ReplicationConfiguration'],
  ],
  Put: [
    ...['AccelerateConfiguration', 'AnalyticsConfiguration', 'BucketABAC', 'BucketAcl', 'BucketCORS', 'BucketLogging'],
    ...['BucketNotification', 'BucketObjectLockConfiguration', 'BucketOwnershipControls', 'BucketPolicy'],
    ...['BucketPublicAccessBlock', 'BucketRequestPayment', 'BucketTagging', 'BucketVersioning', 'BucketWebsite'],
    ...['EncryptionConfiguration', 'IntelligentTieringConfiguration', 'InventoryConfiguration'],
    ...['LifecycleConfiguration', 'MetricsConfiguration', 'Object', 'ObjectAcl', 'ObjectLegalHold', 'ObjectRetention'],
    ...['ObjectTagging', 'ObjectVersionAcl', 'ObjectVersionTagging', 'ReplicationConfiguration'],
  ],
  Delete: [
    ...['Bucket', 'BucketMetadataTableConfiguration', 'BucketPolicy', 'BucketWebsite', 'Object', 'ObjectTagging'],
    ...['ObjectVersion', 'ObjectVersionTagging', 'ReplicationConfiguration'],
  ],
  List: [
    ...[
      'AllMyBuckets',
      'Bucket',
      'BucketMultipartUploads',
      'BucketVersions',
      'MultipartUploadParts',
      'TagsForResource',
    ],
  ],
  Create: ['Bucket', 'BucketMetadataTableConfiguration', 'Session'],
  Replicate: ['Delete', 'Object', 'Tags'],
}
const others = [
  'AbortMultipartUpload',
  'BypassGovernanceRetention',
  'InitiateReplication',
  'ObjectOwnerOverrideToBucketOwner',
]
const known = [
  ...Object.entries(byVerb).flatMap(([verb, nouns]) => nouns.map((noun) => `${verb}${noun}`)),
  ...[
    ...others,
    'PauseReplication',
    'RestoreObject',
    'TagResource',
    'UntagResource',
    'UpdateBucketMetadataTableConfiguration',
  ],
].map((name) => `s3:${name}`.toLowerCase())

/** Whether an action or pattern in a policy matches any S3 action, ignoring case. */
export const meansAnAction = (pattern: string): boolean => {
  const wanted = pattern.toLowerCase()
  return known.some((name) => isLike(name, wanted))
}
