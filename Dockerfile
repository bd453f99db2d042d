# The digest of the base is pinned when a release is made; between releases the tag follows security updates.
ARG NODE=node:24-slim

# Stage 1: all packages, to generate src/gen with the bundle of the programs.
FROM ${NODE} AS generate
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings Node: the package that carries it for other machines need not run its script.
RUN npm ci --ignore-scripts
COPY prisma.config.ts ./
COPY prisma prisma
COPY scripts/bundle.ts scripts/compiledViews.ts scripts/generate.ts scripts/sbom.ts scripts/withoutStudio.mjs scripts/writeTexts.ts scripts/
COPY src src
COPY views views
RUN npm run generate && node scripts/sbom.ts > sbom.cdx.json

# Stage 2: what runs needs, and nothing else.
FROM ${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/prunePackages.ts scripts/
# Without --omit=optional the Prisma command line and a compiler would come along.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && node scripts/prunePackages.ts

FROM ${NODE}
WORKDIR /app
ENV NODE_ENV=production RUN_FROM=bundle HOST=0.0.0.0 PORT=3000 ADMIN_PORT=9464 CONFIG_DIR=/app/config DATA_DIR=/data
RUN install -d -o node -g node -m 0700 /data
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY config config
# Only the demo school needs this folder: leave it out of an image for production.
COPY demo demo
COPY prisma/migrations prisma/migrations
COPY views views
COPY src src
COPY --from=generate /app/src/gen src/gen
COPY --from=generate /app/sbom.cdx.json ./
# The operator's commands: docker exec <container> schoolgate doctor
RUN chmod 0755 src/operate/cli/main.mjs src/operate/cli/healthCheck.mjs && ln -s /app/src/operate/cli/main.mjs /usr/local/bin/schoolgate && ln -s /app/src/operate/cli/healthCheck.mjs /usr/local/bin/schoolgate-health
# Manifests of earlier releases name src/cli/main.ts and src/operate/cli/main.ts.
RUN ln -s operate/cli src/cli && ln -s main.mjs src/operate/cli/main.ts
# Compiled code of the modules, so that the first start of a container is as quick as a second one. The start uses the same flags.
ENV NODE_COMPILE_CACHE=/app/compile-cache
RUN install -d -o node -g node /app/compile-cache
USER node
RUN ["node", "--max-semi-space-size=16", "--input-type=module", "--eval", "\
  import { readdirSync } from 'node:fs'; \
  import { setFlagsFromString } from 'node:v8'; \
  setFlagsFromString('--semi-space-growth-factor=1'); \
  const files = readdirSync('/app/src/gen/bundle'); \
  for (const part of files.filter((name) => /^(runService|postgresql|messages)[.-]/.test(name))) await import(`/app/src/gen/bundle/${part}`)"]
# Everything else may be mounted read-only.
VOLUME /data
EXPOSE 3000 9464
# Images in the OCI format have no health check: name the same command there (podman run --health-cmd schoolgate-health).
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["schoolgate-health"]
CMD ["node", "--max-semi-space-size=16", "src/main.mjs"]
# The commit that the image was built from: --build-arg REVISION=$(git rev-parse HEAD)
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Schoolgate" \
  org.opencontainers.image.description="OAuth 2.0 and OpenID Connect service of an online school platform, with the school's resource API" \
  org.opencontainers.image.version="1.1.0" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.licenses="LicenseRef-Proprietary"
