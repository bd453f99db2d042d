import { z } from 'zod'
import { download } from '../domain/products/downloads.ts'
import { duplicateProduct } from '../domain/products/duplicateProduct.ts'
import { addFile, changeFile, mostFiles, orderFiles, removeFile } from '../domain/products/productFiles.ts'
import { revokeGrant } from '../domain/products/productGrants.ts'
import {
  filesOf,
  hasTag,
  isInPlan,
  isKnownProduct,
  isOnShelf,
  isOwned,
  isOwnedAs,
  ownedBy,
  previewOf,
  type StoredPreview,
  type StoredProductFile,
} from '../domain/products/productVisibility.ts'
import {
  checkProduct,
  keepPreview,
  productDefaults,
  publishProduct,
  removeProductParts,
  unpublishProduct,
} from '../domain/products/productWriting.ts'
import { htmlColumn } from '../domain/richText.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything } from '../framework/declare/expressions.ts'
import { line, moneyColumns, moneyOf, reference, slug } from '../framework/declare/fields.ts'
import { imageField } from '../framework/declare/image.ts'
import type { Resource } from '../framework/declare/resource.ts'
import { freeSlug, lockSlugs, reservedSlugs } from '../framework/declare/slugs.ts'
import { defineAction, defineRead } from '../framework/declare/typedOperations.ts'
import { fromPublicId } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import { fileUrl } from '../policy/fileUrl.ts'
import { productArea } from './productArea.ts'
import { changedFile, downloadAnswer, fileParameter, newFile, productSchema } from './productFields.ts'
import { productGrants } from './productGrants.ts'

const fileOf = (parameters: ReadonlyMap<string, unknown>): string => fromPublicId('dpf', parameters.get('file') as string) as string

/** The shop of files. */
export const digitalProducts = defineResource({
  name: 'digital_products',
  object: 'digital_product',
  idPrefix: 'dgp',
  table: 'digital_product',
  feature: 'digital_products',
  about: 'Files that one can own: bought, given, free, or part of a membership plan.',
  scopes: productArea,
  schema: productSchema,
  derived: {
    cover_image: imageField('digital_product', 'cover_image'),
    price: {
      from: ['price_amount', 'price_currency'],
      of: ({ price_amount, price_currency }) => moneyOf(price_amount, price_currency),
      write: (price) => moneyColumns('price', price),
    },
    compare_at_price: {
      from: ['compare_at_amount', 'compare_at_currency'],
      of: ({ compare_at_amount, compare_at_currency }) => moneyOf(compare_at_amount, compare_at_currency),
      write: (price) => moneyColumns('compare_at', price),
    },
    files: {
      select: filesOf,
      of: (files: readonly StoredProductFile[] | null, { school, externalServices }) =>
        (files ?? []).map((file) => {
          const { url, expires_at } = externalServices.files.downloadAddress(school, { ...file, id: file.file_id })
          return { ...file, byte_size: Number(file.byte_size), download_url: url, expires_at }
        }),
    },
    preview_file: {
      select: previewOf,
      of: (file: StoredPreview | null, { school }) =>
        file && { ...file, byte_size: Number(file.byte_size), url: fileUrl(school, { id: file.file_id, filename: file.filename }) },
      write: (file) => ({ preview_file_id: file ? (fromPublicId('fil', file.file_id) as string) : null }),
    },
    owned: { select: ownedBy },
  },
  writable: [
    'title',
    'slug',
    'subtitle',
    'description',
    'description_format',
    'cover_image',
    'category',
    'tags',
    'kind',
    'access',
    'price',
    'compare_at_price',
    'preview_file',
    'license',
    'download_limit',
    'updates_note',
    'seo',
    'position',
    'external_id',
    'metadata',
  ],
  required: ['title', 'kind'],
  slugFrom: 'title',
  filters: [
    'status',
    'kind',
    'access',
    'category',
    { name: 'tag', description: 'a tag of the product', value: z.string().min(1).max(40), where: hasTag },
    { name: 'owned', description: 'products you own (true), or all others (false)', value: z.enum(['true', 'false']), where: isOwnedAs },
    { name: 'plan', description: 'the id of a membership plan that opens it', value: reference('mpl', 'Id of a plan.'), where: isInPlan },
    'created_at',
    'updated_at',
    'slug[prefix]',
    'external_id',
  ],
  search: ['title', 'subtitle', 'slug'],
  sorts: ['position', '-created_at', 'title', 'updated_at'],
  exports: true,
  visibility: { anonymous: isOnShelf, learner: isKnownProduct, lecturer: isKnownProduct, staff: everything },
  views: { own: isOwned },
  operations: {
    list: 'read',
    get: 'read',
    create: { scope: 'write', check: checkProduct, defaults: productDefaults, after: keepPreview },
    update: {
      scope: 'write',
      check: checkProduct,
      before: async (_writing, _product, values) => htmlColumn('description', values),
      after: keepPreview,
    },
    remove: { scope: 'write', from: ['draft'], before: removeProductParts },
  },
  reads: {
    'files/{file}/download': defineRead('digital_product', {
      scope: 'read',
      id: 'downloadProductFile',
      byId: true,
      anonymous: 'partial',
      summary: 'Get the address of a file that is yours, or free',
      parameters: fileParameter,
      input: z.object({}),
      output: downloadAnswer,
      async run({ store, school, caller, externalServices, parameters }, product) {
        if (!store) throw new Error('a download is counted, and there is nothing to count on')
        const file = await download(store, { school, caller, product: product as never, fileId: fileOf(parameters) })
        return externalServices.files.downloadAddress(school, file)
      },
    }),
  },
  actions: {
    publish: {
      scope: 'write',
      summary: 'Put a product into the shop',
      from: ['draft', 'archived'],
      to: 'published',
      run: publishProduct,
    },
    unpublish: { scope: 'write', summary: 'Make a draft of a product again', from: ['published'], to: 'draft', run: unpublishProduct },
    archive: {
      scope: 'write',
      summary: 'Take a product out of the shop; it stays with those who own it',
      from: ['published'],
      to: 'archived',
      run: async ({ now }) => ({ archived_at: now }),
    },
    duplicate: defineAction('digital_product', {
      scope: 'write',
      summary: 'Copy a product as a draft',
      status: 201,
      input: z.object({
        title: line(160).optional().meta({ description: 'Name of the copy.', example: 'Glaze Recipe Cards, second set' }),
        slug: slug().optional().meta({ description: 'Readable key of the copy.', example: 'glaze-recipe-cards-2' }),
      }),
      async perform(writing, product, input): Promise<{ made: string }> {
        if (reservedSlugs.has(String(input.slug))) throw new Problem('reserved_slug')
        if (input.slug !== undefined) await lockSlugs(writing.writer, digitalProducts, writing.school.id)
        const free = (title: string, id: string): Promise<string> =>
          freeSlug(writing.writer, digitalProducts, { schoolId: writing.school.id, title, id })
        return { made: await duplicateProduct(writing, product, input as { title?: string; slug?: string }, free) }
      },
    }),
    files: defineAction('digital_product', {
      scope: 'write',
      id: 'addProductFile',
      summary: 'Add a file to a product',
      status: 201,
      input: newFile,
      async perform(writing, product, input) {
        await addFile(writing, product.id, input as z.infer<typeof newFile>)
        return { columns: {} }
      },
    }),
    'files/order': defineAction('digital_product', {
      scope: 'write',
      id: 'orderProductFiles',
      method: 'PUT',
      summary: 'Put the files of a product into a new order',
      input: z.object({
        file_ids: z
          .array(reference('dpf', 'Id of a file of the product.'))
          .max(mostFiles)
          .meta({ description: 'Every file of the product once.', example: [] }),
      }),
      run: async (writing, product, { file_ids }) => ((await orderFiles(writing, product.id, file_ids as string[])) ? {} : undefined),
    }),
    changeFile: defineAction('digital_product', {
      scope: 'write',
      id: 'updateProductFile',
      at: 'files/{file}',
      method: 'PATCH',
      summary: 'Give a file of a product another title, or its next version',
      parameters: fileParameter,
      input: changedFile,
      run: async (writing, product, input) =>
        (await changeFile(writing, product.id, fileOf(writing.parameters), input as z.infer<typeof changedFile>)) ? {} : undefined,
    }),
    'grants/{grant}/revoke': defineAction('digital_product', {
      scope: 'write',
      id: 'revokeProductGrant',
      summary: 'Take a product away from somebody',
      parameters: z.object({ grant: reference('dgg', 'Id of a grant of the product.') }),
      answers: (): Resource => productGrants,
      async perform(writing, product) {
        const grantId = fromPublicId('dgg', writing.parameters.get('grant') as string) as string
        return { isUnchanged: !(await revokeGrant(writing, product.id, grantId)), answered: grantId }
      },
    }),
    removeFile: defineAction('digital_product', {
      scope: 'write',
      id: 'removeProductFile',
      at: 'files/{file}',
      method: 'DELETE',
      status: 204,
      summary: 'Take a file out of a product',
      parameters: fileParameter,
      async run(writing, product) {
        await removeFile(writing, product, fileOf(writing.parameters))
        return {}
      },
    }),
  },
})
