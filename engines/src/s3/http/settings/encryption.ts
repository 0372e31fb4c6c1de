import { S3Error, notImplemented } from '../../errors'
import type { BucketEncryption } from '../../store/bucket-settings'
import { childText, writeXml, type XmlElement } from '../xml'
import type { DocumentSetting } from './setting'

const wrong = () =>
  new S3Error('MalformedXML', 'The XML you provided is not a ServerSideEncryptionConfiguration with one Rule')
const only = (element: XmlElement, name: string): XmlElement => {
  const [found, ...more] = element.children.filter((it) => it.name === name)
  if (!found || more.length > 0) throw wrong()
  return found
}

function readEncryption(document: XmlElement): BucketEncryption {
  if (document.name !== 'ServerSideEncryptionConfiguration') throw wrong()
  const rule = only(document, 'Rule')
  const byDefault = only(rule, 'ApplyServerSideEncryptionByDefault')
  const [algorithm, keyId] = [childText(byDefault, 'SSEAlgorithm'), childText(byDefault, 'KMSMasterKeyID')]
  const bucketKey = childText(rule, 'BucketKeyEnabled')
  if (bucketKey !== undefined && bucketKey !== 'true' && bucketKey !== 'false') throw wrong()
  if (algorithm === 'aws:kms:dsse') throw notImplemented('dual-layer encryption')
  if (algorithm !== 'AES256' && algorithm !== 'aws:kms') throw wrong()
  if (algorithm === 'AES256' && keyId !== undefined)
    throw new S3Error(
      'InvalidArgument',
      'a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms',
    )
  return {
    algorithm,
    ...(keyId !== undefined && { keyId }),
    ...(bucketKey !== undefined && { bucketKey: bucketKey === 'true' }),
  }
}

/** Default encryption for new objects. Existing objects are not changed. */
export const bucketEncryption: DocumentSetting<'encryption'> = {
  name: 'encryption',
  action: 'EncryptionConfiguration',
  missing: () =>
    new S3Error(
      'ServerSideEncryptionConfigurationNotFoundError',
      'The server side encryption configuration was not found',
    ),
  read: readEncryption,
  write: ({ algorithm, keyId, bucketKey }) =>
    writeXml('ServerSideEncryptionConfiguration', {
      Rule: {
        ApplyServerSideEncryptionByDefault: { SSEAlgorithm: algorithm, KMSMasterKeyID: keyId },
        BucketKeyEnabled: bucketKey,
      },
    }),
}
