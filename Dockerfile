# The server of a team. Built from a checkout: docker build -t muniment .
FROM python:3.13-slim-bookworm AS build
WORKDIR /build
RUN python -m venv /opt/muniment
COPY deploy/requirements.lock ./
RUN /opt/muniment/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN /opt/muniment/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/muniment muniment
COPY --from=build /opt/muniment /opt/muniment
ENV PATH=/opt/muniment/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MUNIMENT_HOST=0.0.0.0 \
    MUNIMENT_LOG_FORMAT=json
# By its number, which a cluster can check without asking the image.
USER 10001
WORKDIR /var/lib/muniment
EXPOSE 8750
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8750/healthz', timeout=4)"]
ENTRYPOINT ["muniment"]
CMD ["serve"]
