import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'
import { Button } from '../../../ui/Button'
import { FileButton } from '../../../ui/fields/FileButton'
import { FolderIcon, UploadIcon } from '../../../ui/icons'
import type { Picked } from './file-upload'
import { chosenFiles, pickFiles } from './pick-files'

/** Buttons to choose files or a folder to upload. */
export function UploadButtons({ onSelect }: { onSelect: (picked: Picked[]) => void }) {
  const t = useT('objectStorage')
  const failed = (thrown: unknown) => notifyError(thrown, t('upload.unreadable'))
  const look = { variant: 'primary', icon: UploadIcon, children: t('upload.files') } as const
  return (
    <>
      <FileButton icon={FolderIcon} isForFolder onSelect={(files) => onSelect(chosenFiles(files))}>
        {t('upload.folder')}
      </FileButton>
      {pickFiles ? (
        <Button {...look} onPress={() => void pickFiles?.().then(onSelect).catch(failed)} />
      ) : (
        <FileButton {...look} allowsMultiple onSelect={(files) => onSelect(chosenFiles(files))} />
      )}
    </>
  )
}
