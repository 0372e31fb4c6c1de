import { S3Error, notImplemented } from '../errors'
import { isSignedByV2 } from '../signature/v2'
import { checkExpectedOwner } from './access'
import * as acl from './acl'
import { getAttributes } from './attributes-operations'
import * as buckets from './bucket-operations'
import type { S3Call } from './call'
import * as deletions from './delete-operations'
import { postObject } from './form/post-object'
import * as multipart from './multipart-operations'
import * as locks from './object-lock'
import * as objects from './object-operations'
import { objectTagCalls } from './object-tags'
import type { Operation, S3Store } from './operations'
import { accessBlock, policyStatus } from './settings/access-block'
import { bucketCors } from './settings/cors'
import { bucketEncryption } from './settings/encryption'
import { bucketLifecycle } from './settings/lifecycle'
import { ownershipControls } from './settings/ownership'
import { getRequestPayment, putRequestPayment } from './settings/request-payment'
import { settingCalls } from './settings/setting'
import { bucketTags } from './settings/tags'
import { getObjectLock, getVersioning, putObjectLock, putVersioning } from './settings/versioning'
import { listBucketVersions } from './version-operations'

/** S3 subresources that are not implemented. */
const absent = new Set([
  ...['accelerate', 'analytics', 'intelligent-tiering', 'inventory', 'logging'],
  ...['metrics', 'notification', 'replication', 'website', 'restore', 'select'],
  ...['select-type', 'torrent', 'abac', 'renameObject', 'session', 'metadataConfiguration', 'metadataTable'],
  ...['metadataInventoryTable', 'metadataJournalTable'],
])

type Table = Readonly<Record<string, Operation>>
/** Operations by method and subresource, or by method alone. */
const ofBucket: Table = {
  PUT: buckets.createBucket,
  HEAD: buckets.headBucket,
  GET: buckets.listBucket,
  DELETE: buckets.deleteBucket,
  POST: postObject,
  'GET location': buckets.bucketLocation,
  'GET versioning': getVersioning,
  'PUT versioning': putVersioning,
  'GET versions': listBucketVersions,
  'GET object-lock': getObjectLock,
  'PUT object-lock': putObjectLock,
  'GET acl': acl.getBucketAcl,
  'PUT acl': acl.putBucketAcl,
  'GET policy': buckets.getPolicy,
  'PUT policy': buckets.putPolicy,
  'DELETE policy': buckets.deletePolicy,
  'GET uploads': buckets.listBucketUploads,
  'POST delete': deletions.deleteObjects,
  ...settingCalls('encryption', bucketEncryption),
  ...settingCalls('tagging', bucketTags),
  ...settingCalls('cors', bucketCors),
  ...settingCalls('lifecycle', bucketLifecycle),
  ...settingCalls('ownershipControls', ownershipControls),
  ...settingCalls('publicAccessBlock', accessBlock),
  'GET policyStatus': policyStatus,
  'GET requestPayment': getRequestPayment,
  'PUT requestPayment': putRequestPayment,
}
const ofObject: Table = {
  PUT: objects.putObject,
  GET: objects.getObject,
  HEAD: objects.getObject,
  DELETE: deletions.deleteObject,
  'GET acl': acl.getObjectAcl,
  'PUT acl': acl.putObjectAcl,
  'GET retention': locks.getRetention,
  'PUT retention': locks.putRetention,
  'GET legal-hold': locks.getLegalHold,
  'PUT legal-hold': locks.putLegalHold,
  'GET attributes': getAttributes,
  'POST uploads': multipart.createUpload,
  'PUT uploadId': multipart.uploadPart,
  'GET uploadId': multipart.listParts,
  'POST uploadId': multipart.completeUpload,
  'DELETE uploadId': multipart.abortUpload,
  ...objectTagCalls,
}
const words = new Set([...Object.keys(ofBucket), ...Object.keys(ofObject)].flatMap((it) => it.split(' ').slice(1)))

function operationOf(call: S3Call): Operation {
  const { method, bucket, key, query, headers } = call
  if (bucket === null) {
    if (method === 'GET') return buckets.listBuckets
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
  }
  const missing = query.find(([name]) => absent.has(name))
  if (missing) throw notImplemented(missing[0])
  const word = query.map(([name]) => name).find((name) => words.has(name))
  if (word !== undefined && call.signed?.version === 2 && !isSignedByV2(word))
    throw new S3Error('InvalidRequest', `A signature of version 2 does not cover ${word}. Please use AWS4-HMAC-SHA256.`)
  const isCopy = method === 'PUT' && key !== null && headers['x-amz-copy-source'] !== undefined
  if (isCopy) return word === 'uploadId' ? multipart.copyPart : objects.copyObject
  const table = key === null ? ofBucket : ofObject
  const found = table[word === undefined ? method : `${method} ${word}`]
  if (found) return found
  if (word !== undefined) throw notImplemented(`${method} ${word}`)
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
}

/** Performs a request that has passed authentication. Throws an `S3Error`, usually before the response has started. */
export async function perform(call: S3Call, store: S3Store): Promise<void> {
  try {
    await checkExpectedOwner(call, store.buckets)
    const operation = operationOf(call)
    await operation(call, store)
  } catch (error) {
    // in a copy, it may be the source that is missing
    if (error instanceof S3Error && call.headers['x-amz-copy-source'] === undefined)
      error.about = missingIn(error, call)
    throw error
  }
}

/** Returns the XML elements that name the missing bucket or key, as S3 does. */
function missingIn({ code }: S3Error, { bucket, key }: S3Call): Record<string, string> {
  if (code === 'NoSuchBucket' && bucket !== null) return { BucketName: bucket }
  return code === 'NoSuchKey' && key !== null ? { Key: key } : {}
}
