import { S3Error, notImplemented } from '../../errors'
import { bucketFor } from '../access'
import { readText } from '../body'
import { answer, type Operation } from '../operations'
import { childText, readXml, writeXml } from '../xml'

const MOST_DOCUMENT_BYTES = 4 * 1024
const OWNER = 'BucketOwner'

/** Returns the payer of requests, who is always the bucket owner. */
export const getRequestPayment: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:GetBucketRequestPayment')
  await answer(call, 200, {}, writeXml('RequestPaymentConfiguration', { Payer: OWNER }))
}

/** Accepts only the bucket owner as the payer. Throws `NotImplemented` for Requester Pays. */
export const putRequestPayment: Operation = async (call, { buckets }) => {
  await bucketFor(buckets, call, 's3:PutBucketRequestPayment')
  const document = readXml(await readText(call, MOST_DOCUMENT_BYTES))
  const payer = childText(document, 'Payer')
  if (document.name !== 'RequestPaymentConfiguration' || (payer !== OWNER && payer !== 'Requester'))
    throw new S3Error('MalformedXML', `A RequestPaymentConfiguration must have a Payer: ${OWNER} or Requester`)
  if (payer !== OWNER) throw notImplemented('Requester Pays')
  await answer(call, 200, {})
}
