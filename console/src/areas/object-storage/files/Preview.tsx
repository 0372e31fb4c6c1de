import { useEffect, useState } from 'react'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { getObject, type ObjectHead } from '../client/objects'
import { s3Query } from '../keys'
import { useS3 } from '../use-s3'
import { fileKind, nameOf, typeOf, visible } from './file-row'
import css from './files.module.css'

const MOST_IMAGE_BYTES = 5 * 1024 ** 2
const MOST_TEXT_BYTES = 256 * 1024

/** Pictures that hold no script. */
const pictures = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/i
const texts = /^(text\/|application\/(json|xml|x-ndjson|yaml|x-yaml|toml|javascript|sql)\b)/i

const freeAfterMs = 1000

/** How it can be looked at: as a picture, as a text, or not. */
export function previewOf(key: string, { size, type }: Pick<ObjectHead, 'size' | 'type'>): 'image' | 'text' | null {
  const plain = type.split(';')[0]!.trim()
  if (pictures.test(plain)) return size > 0 && size <= MOST_IMAGE_BYTES ? 'image' : null
  // programs that say no type leave this one
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

/** A small picture or text of a bucket. A text stands as text, whatever it holds; a picture is drawn from its bytes. */
export function Preview({ bucket, objectKey, head }: PreviewProps) {
  const t = useT('objectStorage')
  const kind = previewOf(objectKey, head)
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
  return <Picture of={data.picture} name={visible(nameOf(objectKey))} />
}

function Picture({ of, name }: { of: Blob; name: string }) {
  const t = useT('objectStorage')
  const [address] = useState(() => URL.createObjectURL(of))
  const [isBroken, setBroken] = useState(false)
  // freed with the page, after what was drawn of it is gone
  useEffect(() => () => void setTimeout(() => URL.revokeObjectURL(address), freeAfterMs), [address])
  if (isBroken) return <p className={css.note}>{t('preview.failed')}</p>
  return (
    <div className={css.picture}>
      <img src={address} alt={t('preview.image', { name })} onError={() => setBroken(true)} />
    </div>
  )
}
