import { useState } from 'react'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { BlobPicture } from '../../../ui/values/BlobPicture'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { getObject, type ObjectHead } from '../client/objects'
import { presigned } from '../client/presign'
import { s3Query } from '../keys'
import { useS3 } from '../use-s3'
import { fileKind, nameOf, typeOf, visible } from './file-row'
import css from './files.module.css'

const MOST_IMAGE_BYTES = 5 * 1024 ** 2
const MOST_TEXT_BYTES = 256 * 1024
/** Size limit for PDF files, which browsers download completely. */
const MOST_PDF_BYTES = 50 * 1024 ** 2

/** Image types that cannot contain scripts. */
const pictures = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/i
const texts = /^(text\/|application\/(json|xml|x-ndjson|yaml|x-yaml|toml|javascript|sql)\b)/i

/** How a file can be previewed; null if it cannot. Formats that can run scripts are only ever shown as text. */
export function previewOf(
  key: string,
  { size, type }: Pick<ObjectHead, 'size' | 'type'>,
): 'image' | 'text' | 'audio' | 'video' | 'pdf' | null {
  const plain = type.split(';')[0]!.trim()
  const [, stream] = /^(audio|video)\/[\w.+-]+$/i.exec(plain) ?? []
  if (stream) return size > 0 ? (stream.toLowerCase() as 'audio' | 'video') : null
  if (pictures.test(plain)) return size > 0 && size <= MOST_IMAGE_BYTES ? 'image' : null
  if (/^application\/pdf$/i.test(plain)) return size > 0 && size <= MOST_PDF_BYTES ? 'pdf' : null
  // files uploaded without a content type are stored as `application/octet-stream`
  const isUntyped = plain === '' || /octet-stream$/i.test(plain)
  const kind = fileKind({ isFolder: false, type: typeOf(nameOf(key)) })
  const isPdf = typeOf(nameOf(key)) === 'pdf'
  const isText = texts.test(plain) || (isUntyped && !isPdf && (kind === 'code' || kind === 'document'))
  return isText && size > 0 && size <= MOST_TEXT_BYTES ? 'text' : null
}

interface PreviewProps {
  bucket: string
  objectKey: string
  head: ObjectHead
}

/** Previews an object without executing any of its content in the page. */
export function Preview({ bucket, objectKey, head }: PreviewProps) {
  const kind = previewOf(objectKey, head)
  if (kind === 'pdf') return <Pdf bucket={bucket} objectKey={objectKey} />
  return kind === 'audio' || kind === 'video' ? (
    <Film bucket={bucket} objectKey={objectKey} kind={kind} />
  ) : (
    <Still bucket={bucket} objectKey={objectKey} head={head} kind={kind} />
  )
}

/** Plays audio or video; the browser downloads only the parts that it plays. */
function Film({ bucket, objectKey, kind }: Omit<PreviewProps, 'head'> & { kind: 'audio' | 'video' }) {
  const t = useT('objectStorage')
  const [address] = useState(() => presigned(bucket, objectKey, { isInline: true }))
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <p className={css.note}>{t('preview.failed')}</p>
  const name = visible(nameOf(objectKey))
  const shared = { src: address, controls: true, preload: 'metadata', onError: () => setBroken(true) } as const
  return (
    <div className={css.picture}>
      {kind === 'audio' ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- stored files have no captions
        <audio {...shared} aria-label={t('preview.audio', { name })} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- stored files have no captions
        <video {...shared} aria-label={t('preview.video', { name })} />
      )}
    </div>
  )
}

/** Shows a PDF in the browser's viewer, isolated from the page. Some browsers have no viewer. */
function Pdf({ bucket, objectKey }: Omit<PreviewProps, 'head'>) {
  const t = useT('objectStorage')
  const [address] = useState(() => presigned(bucket, objectKey, { isInline: true }))
  if (!navigator.pdfViewerEnabled) return <p className={css.note}>{t('preview.noViewer')}</p>
  const title = t('preview.pdf', { name: visible(nameOf(objectKey)) })
  return <iframe className={css.document} src={address} title={title} referrerPolicy="no-referrer" />
}

/**
 * Shows a small image or text file. Text is always shown as plain text; images are displayed from a downloaded blob.
 */
function Still({ bucket, objectKey, head, kind }: PreviewProps & { kind: 'image' | 'text' | null }) {
  const t = useT('objectStorage')
  const { data, isLoading, problem } = useS3(
    s3Query.object(bucket, objectKey, head.etag),
    async (signal) => {
      const blob = await getObject(bucket, objectKey, signal)
      return kind === 'text' ? { text: await blob.text() } : { picture: new Blob([blob], { type: head.type }) }
    },
    { isEnabled: kind !== null },
  )
  const isLate = useDelayed(isLoading && kind !== null)
  if (kind === null) return <p className={css.note}>{t('preview.none')}</p>
  if (problem) return <p className={css.note}>{t('preview.failed')}</p>
  if (!data) return <div className={css.picture}>{isLate && <Skeleton width="60%" />}</div>
  if ('text' in data) return <CodeBlock label={t('preview.text')}>{data.text ?? ''}</CodeBlock>
  return (
    <div className={css.picture}>
      <BlobPicture
        of={data.picture}
        alt={t('preview.image', { name: visible(nameOf(objectKey)) })}
        fallback={<p className={css.note}>{t('preview.failed')}</p>}
      />
    </div>
  )
}
