import path from 'node:path'
import type { CatalogueImage, ImageCatalogue } from '@mainstay/contract/compute/image-imports'
import { openOutside, type Outside, type OutsideOptions } from './fetch-file'
import { readCatalogue } from './read-catalogue'

/** Provides the image catalogue and downloads images from URLs. */
export interface ImageImports {
  catalogue(): Promise<ImageCatalogue>
  /** The image with this ID in the catalogue, or null. */
  find(id: string): Promise<CatalogueImage | null>
  outside: Outside
}

/** If `dataFolder` contains an `image-catalogue.json`, it replaces the built-in catalogue. */
export function createImageImports({ dataFolder, ...outside }: { dataFolder: string } & OutsideOptions): ImageImports {
  const catalogue = () => readCatalogue(path.join(dataFolder, 'image-catalogue.json'))
  return {
    catalogue,
    find: async (id) => (await catalogue()).data.find((image) => image.id === id) ?? null,
    outside: openOutside(outside),
  }
}
