import { imageImports } from '@mainstay/contract/compute/image-imports'
import { images } from '@mainstay/contract/compute/images'
import { tasks } from '@mainstay/contract/core/tasks'
import { useState } from 'react'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { TextField } from '../../../../ui/fields/TextField'
import { DownloadIcon } from '../../../../ui/icons'
import css from './ImageSources.module.css'

/** Imports an image from a URL, which the cloud downloads itself. */
export function ImportByAddress() {
  const t = useT('sources')
  const [url, setUrl] = useState('')
  const [checksum, setChecksum] = useState('')
  const fetch = useCall(imageImports.create, { refresh: [tasks.list, images.list] })
  const { problem } = fetch
  const faultOf = (name: string) => problem?.fields[name]?.[0]
  const begin = () =>
    void fetch
      .run({ body: { url: url.trim(), ...(checksum.trim() !== '' && { checksum: checksum.trim() }) } })
      .then(() => {
        setUrl('')
        setChecksum('')
      })
      // the error is shown on the field
      .catch(() => undefined)
  const other = problem && Object.keys(problem.fields).length === 0 ? problem.message : undefined
  return (
    <div className={css.address}>
      <TextField
        label={t('sources.url')}
        help={t('sources.urlHelp')}
        placeholder="https://"
        isMono
        value={url}
        error={faultOf('url') ?? other}
        onChange={(next) => {
          setUrl(next)
          fetch.forget()
        }}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && url.trim() !== '') begin()
        }}
      />
      {url.trim() !== '' && (
        <TextField
          label={t('sources.checksum')}
          help={t('sources.checksumHelp')}
          isMono
          value={checksum}
          error={faultOf('checksum')}
          onChange={setChecksum}
        />
      )}
      <Button icon={DownloadIcon} isBusy={fetch.isPending} isDisabled={url.trim() === ''} onPress={begin}>
        {t('sources.fetch')}
      </Button>
    </div>
  )
}
